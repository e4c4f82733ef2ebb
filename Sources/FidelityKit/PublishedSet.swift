import Foundation

/// What others published and this repository has samples of: the whole set, where somebody has put
/// it beside the repository.
public enum PublishedSet: String, CaseIterable, Sendable {
  case emulation = "tcp-emulation"
  case sabre
  case pensieve

  private var subject: String {
    switch self {
    case .emulation: "18,750 chunks of 125 sessions"
    case .sabre: "20 traces"
    case .pensieve: "40 traces"
    }
  }

  private var source: String {
    switch self {
    case .emulation: "Purdue-ISL/Veritas, Controlled-GT-Cubic-BBA-LMH at 5769bc4, MIT"
    case .sabre: "UMass-LIDS/sabre, example at 09b03bb, BSD-2-Clause"
    case .pensieve: "thu-media/Comyco, src at 8cd3197, BSD-2-Clause"
    }
  }

  /// A family for each set that `folder` has, and a line for each that it has not.
  /// - Throws: ``ReferenceError`` for a set that is there and cannot be read.
  public static func families(
    in folder: String
  ) throws(ReferenceError) -> (families: [Family], missing: [String]) {
    let reference = Reference(folder)
    var (families, missing): ([Family], [String]) = ([], [])
    for set in allCases {
      guard FileManager.default.fileExists(atPath: "\(folder)/\(set.rawValue)") else {
        missing.append(
          "not compared: \(set.rawValue), \(set.subject): expected \(folder)/\(set.rawValue), got "
            + "none; get it from GitHub \(set.source), in the form of Tests/Reference/README.md")
        continue
      }
      switch set {
      case .emulation: families.append(try Emulation.family(reference, named: set.rawValue))
      case .sabre: families.append(try SabreOutputs.family(reference))
      case .pensieve: families.append(try PensieveOutputs.family(reference))
      }
    }
    return (families, missing)
  }
}
