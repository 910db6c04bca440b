"""Cut documents with markup: Markdown, HTML, AsciiDoc, manual pages."""
