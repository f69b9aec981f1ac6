"""What several tasks do: read the texts that options name, settle metrics, write into files, make tables for papers."""
