"""PDF: the text of its pages in reading order, with headings, tables and pictures."""
