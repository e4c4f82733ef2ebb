// All rooms of the models under one name, for what stands above them.

@_exported import AudienceModel
@_exported import CacheModel
@_exported import CallsModel
@_exported import FeedModel
@_exported import MessagingModel
@_exported import ModelBasics
@_exported import NetworkModels
@_exported import PeerModels
@_exported import ServiceModel
