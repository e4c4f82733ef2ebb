// What a replication is metered by stands under this module's name, too.

@_exported import Metering
