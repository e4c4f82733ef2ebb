// Rows of metrics are what a scenario's names stand for.

@_exported import Metering
