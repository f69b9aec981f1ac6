"""Rima and quality estimation in many languages: one network over the layers of the encoder `multilingual`."""
