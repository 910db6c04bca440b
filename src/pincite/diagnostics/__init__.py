"""What an index says about itself: status, explanations, replays, checks of models."""
