import CachePolicy
import NIOHTTP1

/// One stored response of an address, or the requests for one that is not there yet.
final class EdgeVariant {
  unowned let address: EdgeAddress
  /// The number under which the store knows it.
  let handle: UInt32
  /// What `Vary` named; before there is an answer, what the address's latest answer varied by.
  private(set) var vary: VariantFields
  /// What the request that brought the answer said of it, as ``EdgeAnswer/key(_:_:)`` has it.
  private(set) var key: [UInt8]
  /// The copy. It has left the store when `isResident` is false, and nobody gets it any more.
  private(set) var answer: EdgeAnswer?
  private(set) var stored: StoredResponse?
  var isResident = false
  /// The body that has a place in the store.
  var placed: EdgeBody?
  var bytes: Int64 = 0
  /// It was asked for and was absent before.
  var wasMissed = false
  /// What came of the last failed fetch, for those who get the same.
  var failure: EdgeAnswer?
  /// Only while something is under way or remembered: a fresh copy needs none.
  var machine: EdgeMachine?
  /// The last request that the machine was asked about; only while there is one.
  var asked: EdgeExchange?
  /// Its address does not know it any more.
  fileprivate(set) var isReleased = false
  /// Its place among the address's variants.
  fileprivate var place = 0
  /// Whether a request has found it since the address last looked for one to give up.
  fileprivate var wasFound = false

  init(address: EdgeAddress, handle: UInt32, vary: VariantFields, key: [UInt8]) {
    self.address = address
    self.handle = handle
    self.vary = vary
    self.key = key
  }

  /// Whether a request may be answered with this one, as far as is known.
  func matches(_ request: HTTPHeaders) -> Bool {
    if answer != nil && vary.isEverything { return false }
    return EdgeAnswer.key(vary, request) == key
  }

  /// Nothing would be lost with it but that it was missed.
  var isEmpty: Bool { answer == nil && machine == nil }

  /// Whether a fetch of its machine is under way, or somebody waits for one.
  var isBusy: Bool {
    machine.map { $0.state.activeFetches > 0 || $0.state.waiterCount > 0 } ?? false
  }

  /// Gives it a copy, or none.
  fileprivate func set(_ answer: EdgeAnswer?, _ stored: StoredResponse?) {
    self.answer = answer
    self.stored = stored
  }

  fileprivate func set(_ vary: VariantFields, _ key: [UInt8]) {
    self.vary = vary
    self.key = key
  }
}

/// A variant's machine, apart from the variant: most have none.
final class EdgeMachine {
  var state: CollapsingMachine

  init(_ state: CollapsingMachine) { self.state = state }
}

/// All that is known of one key.
///
/// Which variant a request gets is looked up, not searched: variants stand under what they vary by,
/// of which there are few, and then under what their requests said of it.
final class EdgeAddress {
  let key: String
  /// In no order.
  private(set) var variants: [EdgeVariant] = []
  /// Variants that have a copy.
  private(set) var copies = 0
  /// What the latest answer varied by.
  private(set) var vary = VariantFields()
  /// Only while there is more than one variant.
  private var groups: [Group] = []
  /// Where the next one to give up is looked for.
  private var hand = 0

  /// Sets of names in `Vary` that one address may have at a time; an origin has one or two
  /// (assumed).
  static let mostGroups = 8
  /// Variants that are looked at for one to give up.
  private static let looks = 16

  private struct Group {
    var vary: VariantFields
    /// More than one only where a fetch brought what another variant has, which is busy.
    var members: [[UInt8]: [EdgeVariant]] = [:]
  }

  init(_ key: String) { self.key = key }

  /// The variant that a request gets: of those that match the one with the latest `Date` (RFC 9111
  /// section 4.1).
  ///
  /// - Complexity: O(1) in the number of variants.
  func variant(for request: HTTPHeaders) -> EdgeVariant? {
    if groups.isEmpty {
      guard let only = variants.first, only.matches(request) else { return nil }
      only.wasFound = true
      return only
    }
    var best: EdgeVariant?
    for group in groups {
      for variant in group.members[EdgeAnswer.key(group.vary, request)] ?? []
      where variant.answer == nil || !variant.vary.isEverything {
        let date = variant.answer?.head.date ?? .min
        if let chosen = best, date <= chosen.answer?.head.date ?? .min { continue }
        best = variant
      }
    }
    best?.wasFound = true
    return best
  }

  /// Whether an answer that varies so can stand beside those that there are.
  func takes(_ vary: VariantFields) -> Bool {
    if vary.isEverything { return false }
    return groups.count < EdgeAddress.mostGroups || groups.contains { $0.vary == vary }
  }

  func add(_ variant: EdgeVariant) {
    variant.place = variants.count
    variants.append(variant)
    if variants.count == 2 { enter(variants[0]) }
    if variants.count >= 2 { enter(variant) }
  }

  /// Takes one out; it belongs to nobody then.
  func remove(_ variant: EdgeVariant) {
    if variant.isReleased { return }
    if !groups.isEmpty { leave(variant) }
    let last = variants.removeLast()
    if last !== variant {
      variants[variant.place] = last
      last.place = variant.place
    }
    if variant.answer != nil { copies -= 1 }
    variant.isReleased = true
    if variants.count == 1 { groups.removeAll() }
  }

  /// Gives a variant its copy, or takes it away.
  func set(_ answer: EdgeAnswer?, _ stored: StoredResponse?, of variant: EdgeVariant) {
    copies += (answer == nil ? 0 : 1) - (variant.answer == nil ? 0 : 1)
    variant.set(answer, stored)
  }

  /// An answer has said what it varies by.
  func set(_ vary: VariantFields, _ key: [UInt8], of variant: EdgeVariant) {
    self.vary = vary
    if variant.vary == vary && variant.key == key { return }
    if !groups.isEmpty { leave(variant) }
    variant.set(vary, key)
    if variants.count >= 2 { enter(variant) }
  }

  /// Those that the same requests find as a variant.
  func others(like variant: EdgeVariant) -> [EdgeVariant] {
    guard let place = groups.firstIndex(where: { $0.vary == variant.vary }) else { return [] }
    return (groups[place].members[variant.key] ?? []).filter { $0 !== variant }
  }

  /// One that has not been found for some time and has nothing under way; nil when there was none
  /// among the next few.
  func dispensable() -> EdgeVariant? {
    for _ in 0..<EdgeAddress.looks {
      if hand >= variants.count { hand = 0 }
      guard hand < variants.count else { return nil }
      let variant = variants[hand]
      if !variant.isBusy && !variant.wasFound { return variant }
      variant.wasFound = false
      hand += 1
    }
    return nil
  }

  private func enter(_ variant: EdgeVariant) {
    let place = groups.firstIndex { $0.vary == variant.vary } ?? groups.count
    if place == groups.count { groups.append(Group(vary: variant.vary)) }
    groups[place].members[variant.key, default: []].append(variant)
  }

  private func leave(_ variant: EdgeVariant) {
    guard let place = groups.firstIndex(where: { $0.vary == variant.vary }) else { return }
    var same = groups[place].members.removeValue(forKey: variant.key) ?? []
    same.removeAll { $0 === variant }
    if !same.isEmpty { groups[place].members[variant.key] = same }
    if groups[place].members.isEmpty { groups.remove(at: place) }
  }
}
