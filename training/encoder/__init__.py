"""The chain that makes the encoder `multilingual`: pairs, vocabulary, packing, training, export, checks."""
