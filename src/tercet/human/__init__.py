"""Human evaluation: rating campaigns and their server, gold standards from judgements, quality control, agreement."""
