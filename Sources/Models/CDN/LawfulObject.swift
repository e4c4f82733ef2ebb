import CachePolicy
import MediaUnits
import SimulationKernel

/// An object that viewers who are not simulated ask for, and how.
struct LawfulObject {
  let object: UInt32
  let asset: AssetClass
  /// Whose views they are: of a version, the title that was published again.
  let title: UInt32
  /// Tells the cache keys of one object apart: where its draws begin.
  let firstDraw: UInt32
  /// Items of its title that the whole audience asks for at one edge, for one cache key, per second
  /// of stretched time: views, and what is prefetched and never viewed.
  let views: Double
  /// Requests for the object for one of them, hardly more than 1.
  let perView: Double
  /// Seconds from a view's first request to the one for the object, in the mean.
  let delay: Double
  /// Nobody had it when it was first asked for: a crowd's title, or a version.
  let isNew: Bool
  /// Seconds of the run in which it is asked for; from minus infinity: before it, too.
  let from: Double
  let until: Double
  /// Of a version: the manifest at the node that names it; nil where all know of it at once.
  var version: VersionArrival?
  /// Of a crowd's new title: who may still view it.
  var unseen: UnseenShare?

  /// Requests per second of stretched time at one edge, in the long run.
  var rate: Double { views * perView * (unseen?.lasting ?? 1) }

  /// Objects of one group are asked for by the same views.
  var group: UInt32 { ObjectLayout.group(of: object % ObjectLayout.stride) }

  /// Whether a view asks for it, where a share of the requests can have come yet.
  func isAsked(by view: OthersView, within share: Double = 1) -> Bool {
    view.asks(perView * share, group: group)
  }

  /// So much later than views themselves are what is told of them, seconds. Not so for what is new:
  /// there the share of the requests rises that can have come.
  var shift: Double { isNew ? 0 : delay }
}

/// Since when the manifest at a node has named a title's version.
struct VersionArrival {
  /// Seconds of the run; infinity where it is not known.
  var since = Double.infinity
  /// When the origin made that copy of the manifest, and when the one before it expired; minus
  /// infinity where there was none.
  var madeAt = Double.infinity
  var expiredAt = -Double.infinity
  /// Somebody who is not simulated waited for that manifest, and goes on with what it names.
  var isAwaited = false
}

/// Since when viewers at one edge know of an object.
struct EdgeKnowledge {
  /// Seconds of the run: later views ask for it.
  var from: Double
  /// When the view asks for it that waited for the manifest which names it; infinity for none.
  var firstAsked = Double.infinity
  /// The outage in which others failed who go on then.
  var outage: OriginOutage?
}

/// What an edge takes the next tier's copy of an object for.
///
/// Every cache behind an edge has one, renewed by the views of all edges behind that cache: all of
/// them are a function of the seed, so that nothing has to be known of other edges. What the
/// cache's answers to simulated requests say is taken over.
struct ShadowCopy {
  /// When the copy was made, seconds of the run.
  var madeAt: Double
  var isThere: Bool
  /// Everything up to this time is in it.
  var asOf: Double

  static let none = ShadowCopy(madeAt: 0, isThere: false, asOf: 0)
}
