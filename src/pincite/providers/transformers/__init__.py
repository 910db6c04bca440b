"""Transformers from a folder or the hub on ONNX Runtime: what the encoders and judges share."""
