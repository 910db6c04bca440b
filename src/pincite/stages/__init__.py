"""The stages: functions from frozen values to frozen values, one file or package each. Those that
send requests are async, the others only compute."""
