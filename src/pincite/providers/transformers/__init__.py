"""Transformers from a folder or the hub on ONNX Runtime, shared by encoders and rerankers."""
