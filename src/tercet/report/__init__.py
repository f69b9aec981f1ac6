"""How results leave: tables as text, Markdown, LaTeX, TSV, CSV and JSON."""
