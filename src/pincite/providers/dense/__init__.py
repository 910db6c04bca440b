"""Dense encoders: texts to unit vectors. One model family or vendor per file."""
