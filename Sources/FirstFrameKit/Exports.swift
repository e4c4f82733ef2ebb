// What a program with policies of its own names beside this module.

@_exported import CachePolicy
@_exported import CallSignalling
@_exported import FeedPolicy
@_exported import ForeignPolicies
@_exported import MediaUnits
@_exported import MessageDelivery
