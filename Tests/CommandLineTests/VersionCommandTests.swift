import Foundation
import Testing

@Suite struct VersionCommandTests {
  @Test(arguments: [["--version"], ["live", "--version"]])
  func `--version tells version, models, commit and build of either program`(
    _ arguments: [String]
  ) throws {
    try Program.inFolder { firstframe in
      let outcome = try firstframe.run(arguments)
      #expect(outcome.status == 0)
      #expect(outcome.error == "")
      let lines = outcome.output.split(separator: "\n")
      try #require(lines.count == 5, "\(outcome.output)")
      let program = arguments.count == 1 ? "firstframe" : "firstframe-live"
      #expect(lines[0].wholeMatch(of: #/\S+ \d+\.\d+\.\d+/#) != nil)
      #expect(lines[0].hasPrefix(program + " "))
      #expect(lines[1].wholeMatch(of: #/model version: \d+ of feeds, \d+ of other worlds/#) != nil)
      #expect(lines[2] == "commit: none, a source build")
      #expect(
        lines[3].wholeMatch(of: #/build: (debug|release), Swift [\d.]+.*, GSL [\d.]+/#) != nil)
      #expect(lines[4].hasPrefix("licence: GPL-3.0-or-later"))
      #expect(!outcome.output.contains("/"))
      #expect(try firstframe.names() == [])
    }
  }

  @Test func `both programs have one version`() throws {
    try Program.inFolder { firstframe in
      let own = try firstframe("--version").output.split(separator: "\n").dropFirst()
      let live = try firstframe("live", "--version").output.split(separator: "\n").dropFirst()
      #expect(own == live)
    }
  }
}
