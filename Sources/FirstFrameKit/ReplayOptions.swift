import ArgumentParser
import Models
import Scenario
import Studies

/// Turns the texts of options into values, or says what is wrong with them.
enum ReplayOptions {
  static func format(_ text: String) throws -> CacheTraceFormat {
    if let format = CacheTraceFormat(rawValue: text) { return format }
    let names = CacheTraceFormat.allCases.map(\.rawValue).joined(separator: ", ")
    throw ValidationError("expected one of \(names), got \(text)")
  }

  static func expiry(_ text: String) throws -> CacheExpiry {
    switch text {
    case "ignore": .ignore
    case "rfc9111": .rfc9111
    case "reference": .reference
    default: throw ValidationError("expected one of ignore, rfc9111, reference, got \(text)")
    }
  }

  static func dropsQueries(_ text: String) throws -> Bool {
    switch text {
    case "keep": false
    case "drop": true
    default: throw ValidationError("expected one of keep, drop, got \(text)")
    }
  }

  static func age(_ text: String) throws -> CacheReplay.Age {
    switch text {
    case "inherited": .inherited
    case "fresh": .fresh
    default: throw ValidationError("expected one of inherited, fresh, got \(text)")
    }
  }

  static func rate(_ text: String) throws -> Double {
    guard let rate = try? PlainNumber.ratio(of: text), rate >= 1e-6 else {
      throw ValidationError("expected a share from 0.000001 to 1 such as 0.01 or 1%, got \(text)")
    }
    return rate
  }

  static func policy(_ text: String, option: String) throws -> EvictionKind {
    do { return try CacheWords.policy(text) } catch { throw fault(error, option, text) }
  }

  static func admission(_ text: String) throws -> CacheAdmission {
    do { return try CacheWords.admission(text) } catch { throw fault(error, "--admission", text) }
  }

  static func capacity(
    _ text: String, option: String, unitSizes: Bool
  ) throws -> ReplayPlan.Capacity {
    do {
      return ReplayPlan.Capacity(
        text: text, value: try CacheCapacity(text, unitSizes: unitSizes))
    } catch { throw fault(error, option, text) }
  }

  /// `POLICY:CAPACITY`; the last colon separates them.
  static func tier(_ text: String, option: String, unitSizes: Bool) throws -> ReplayPlan.Tier {
    guard let colon = text.lastIndex(of: ":") else {
      throw ValidationError("\(option): expected POLICY:CAPACITY such as lru:10GiB, got \(text)")
    }
    return ReplayPlan.Tier(
      kind: try policy(String(text[..<colon]), option: option),
      capacity: try capacity(
        String(text[text.index(after: colon)...]), option: option, unitSizes: unitSizes))
  }

  private static func fault(_ fault: QuantityFault, _ option: String, _ text: String) -> any Error {
    let hint = fault.suggestion.map { " (did you mean \($0)?)" } ?? ""
    return ValidationError("\(option): expected \(fault.expected), got \(text)\(hint)")
  }
}
