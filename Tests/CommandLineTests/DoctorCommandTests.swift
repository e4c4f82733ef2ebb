import Foundation
import Testing

@Suite struct DoctorCommandTests {
  @Test func `doctor prints a table, JSON of schema 1, and refuses names it does not know`() throws
  {
    try Program.inFolder { firstframe in
      let table = try firstframe("doctor")
      #expect(table.status == 0 && table.output.contains("\ntun "), "\(table.error)")
      let json = try firstframe("doctor", "--json")
      let document = try #require(
        JSONSerialization.jsonObject(with: Data(json.output.utf8)) as? [String: Any])
      #expect(document["schema"] as? Int == 1)
      let findings = try #require(document["findings"] as? [[String: String]])
      for finding in findings {
        #expect(Set(finding.keys) == ["name", "state", "seen", "advice"])
      }
      let unknown = try firstframe("doctor", "--require", "nginx,telepathy")
      #expect(unknown.status == 64 && unknown.error.contains("telepathy"))
      // Whatever is missing here makes 69, what is there 0.
      for finding in findings {
        guard let name = finding["name"], ["tun", "nginx", "swift"].contains(name) else { continue }
        let status = try firstframe("doctor", "--require", name).status
        #expect(status == (finding["state"] == "missing" ? 69 : 0), "\(name)")
      }
    }
  }
}
