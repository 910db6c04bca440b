"""The stages of a search: functions from frozen values to frozen values, one file or package each.
Stages that send requests are async, the others only compute."""
