import AudienceModel
import CachePolicy
import MediaUnits
import SimulationKernel

/// An object that viewers who are not simulated ask for, and how.
public struct LawfulObject {
  /// The number of its title and its offset (``ObjectLayout``).
  public let object: UInt32
  public let asset: AssetClass
  /// Whose views they are: of a version, the title that was published again.
  public let title: UInt32
  /// Tells the cache keys of one object apart: where its draws begin.
  public let firstDraw: UInt32
  /// Items of its title that the whole audience asks for at one edge, for one cache key, per second
  /// of stretched time: views, and what is prefetched and never viewed.
  public let views: Double
  /// Requests for the object for one of them, hardly more than 1.
  public let perView: Double
  /// Seconds from a view's first request to the one for the object, in the mean.
  public let delay: Double
  /// Nobody had it when it was first asked for: a crowd's title, or a version.
  public let isNew: Bool
  /// Seconds of the run in which it is asked for; from minus infinity: before it, too.
  public let from: Double
  public let until: Double
  /// Of a version: the manifest at the node that names it; nil where all know of it at once.
  public var version: VersionArrival?
  /// Of a crowd's new title: who may still view it.
  public var unseen: UnseenShare?

  public init(
    object: UInt32, asset: AssetClass, title: UInt32, firstDraw: UInt32, views: Double,
    perView: Double, delay: Double, isNew: Bool, from: Double, until: Double,
    version: VersionArrival? = nil, unseen: UnseenShare? = nil
  ) {
    self.object = object
    self.asset = asset
    self.title = title
    self.firstDraw = firstDraw
    self.views = views
    self.perView = perView
    self.delay = delay
    self.isNew = isNew
    self.from = from
    self.until = until
    self.version = version
    self.unseen = unseen
  }

  /// Requests per second of stretched time at one edge, in the long run.
  public var rate: Double { views * perView * (unseen?.lasting ?? 1) }

  /// Objects of one group are asked for by the same views.
  public var group: UInt32 { ObjectLayout.group(of: object % ObjectLayout.stride) }

  /// Whether a view asks for it, where a share of the requests can have come yet.
  public func isAsked(by view: OthersView, within share: Double = 1) -> Bool {
    view.asks(perView * share, group: group)
  }

  /// So much later than views themselves are what is told of them, seconds. Not so for what is new:
  /// there the share of the requests rises that can have come.
  public var shift: Double { isNew ? 0 : delay }
}

/// Since when the manifest at a node has named a title's version.
public struct VersionArrival: Sendable {
  /// Seconds of the run; infinity where it is not known.
  public var since = Double.infinity
  /// When the origin made that copy of the manifest, and when the one before it expired; minus
  /// infinity where there was none.
  public var madeAt = Double.infinity
  public var expiredAt = -Double.infinity
  /// Somebody who is not simulated waited for that manifest, and goes on with what it names.
  public var isAwaited = false

  public init(
    since: Double = .infinity, madeAt: Double = .infinity,
    expiredAt: Double = -.infinity, isAwaited: Bool = false
  ) {
    self.since = since
    self.madeAt = madeAt
    self.expiredAt = expiredAt
    self.isAwaited = isAwaited
  }
}

/// Since when viewers at one edge know of an object.
public struct EdgeKnowledge {
  /// Seconds of the run: later views ask for it.
  public var from: Double
  /// When the view asks for it that waited for the manifest which names it; infinity for none.
  public var firstAsked = Double.infinity
  /// The outage in which others failed who go on then.
  public var outage: OriginOutage?

  public init(from: Double) { self.from = from }
}

/// What an edge takes the next tier's copy of an object for.
///
/// Every cache behind an edge has one, renewed by the views of all edges behind that cache: all of
/// them are a function of the seed, so that nothing has to be known of other edges. What the
/// cache's answers to simulated requests say is taken over.
public struct ShadowCopy: Sendable {
  /// When the copy was made, seconds of the run.
  public var madeAt: Double
  /// Whether there is a copy.
  public var isThere: Bool
  /// Everything up to this time is in it.
  public var asOf: Double

  public init(madeAt: Double, isThere: Bool, asOf: Double) {
    self.madeAt = madeAt
    self.isThere = isThere
    self.asOf = asOf
  }

  /// No copy, as of the beginning.
  public static let none = ShadowCopy(madeAt: 0, isThere: false, asOf: 0)
}
