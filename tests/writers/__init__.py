"""Writers of the formats that Tercet reads, to test that its readers return what was written."""
