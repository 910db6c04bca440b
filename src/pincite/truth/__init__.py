"""Current contents of files, compared before their passages are shown."""
