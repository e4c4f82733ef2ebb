import CachePolicy
import NIOHTTP1

/// One stored response of an address, or the requests for one that is not there yet.
final class EdgeVariant {
  unowned let address: EdgeAddress
  /// The number under which the store knows it.
  let handle: UInt32
  /// What `Vary` named, and what the request said that brought the answer; before there is one,
  /// what the address's other answers vary by.
  var vary: VariantFields
  var values: [[UInt8]?]
  /// The copy. It has left the store when `isResident` is false, and nobody gets it any more.
  var answer: EdgeAnswer?
  var stored: StoredResponse?
  var isResident = false
  /// The body that has a place in the store.
  var placed: EdgeBody?
  var bytes: Int64 = 0
  /// It was asked for and was absent before.
  var wasMissed = false
  /// What came of the last failed fetch, for those who get the same.
  var failure: EdgeAnswer?
  /// Only while something is under way or remembered: a fresh copy needs none.
  var machine: CollapsingMachine?
  /// The last request that the machine was asked about; only while there is one.
  var asked: EdgeExchange?

  init(
    address: EdgeAddress, handle: UInt32, vary: VariantFields, values: [[UInt8]?]
  ) {
    self.address = address
    self.handle = handle
    self.vary = vary
    self.values = values
  }

  /// Whether a request may be answered with this one, as far as is known.
  func matches(_ request: HTTPHeaders) -> Bool {
    if let answer { return answer.matches(request, values: values) }
    return EdgeAnswer.values(vary, request) == values
  }
}

/// All that is known of one key.
final class EdgeAddress {
  let key: String
  var variants: [EdgeVariant] = []

  init(_ key: String) { self.key = key }

  /// The variant that a request gets: of those that match the one with the latest `Date` (RFC 9111
  /// section 4.1).
  func variant(for request: HTTPHeaders) -> EdgeVariant? {
    var best: EdgeVariant?
    for variant in variants where variant.matches(request) {
      guard let chosen = best else {
        best = variant
        continue
      }
      let (new, old) = (variant.answer?.head.date ?? .min, chosen.answer?.head.date ?? .min)
      if new > old { best = variant }
    }
    return best
  }

  /// What the latest answer varied by.
  var vary: VariantFields {
    variants.last { $0.answer != nil }?.answer?.vary ?? VariantFields()
  }
}
