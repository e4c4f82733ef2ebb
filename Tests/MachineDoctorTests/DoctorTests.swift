import Foundation
import Testing

@testable import MachineDoctor

@Suite struct DoctorTests {
  @Test func `an examination looks at everything a live run needs, each once`() {
    let names = Doctor.examine().findings.map(\.name)
    #expect(
      names == [
        "cores", "load", "memory", "pages", "descriptors", "loopback", "ports", "backlog",
        "reuse", "congestion", "clock", "timers", "tun", "namespaces", "nginx", "varnish", "wrk",
        "curl", "openssl", "chromium", "swift", "gsl", "disk", "shm",
      ])
  }

  @Test func `what is not all right comes with advice, what is comes without`() {
    for finding in Doctor.examine().findings {
      #expect(!finding.seen.isEmpty, "\(finding.name)")
      #expect((finding.state == .ok) == finding.advice.isEmpty, "\(finding)")
    }
  }

  @Test func `a program of this machine is found, one that nobody has is not`() {
    #expect(MachineProbe.program("sh") != nil)
    #expect(MachineProbe.program("firstframe-no-such-program") == nil)
    #expect(MachineProbe.answer(of: "/bin/sh", ["-c", "echo one; echo two"]) == "one")
  }

  @Test func `only missing findings and unknown names are lacking, warnings are not`() {
    let examination = Examination([
      Finding("a", .ok, "x"), Finding("b", .warn, "y", advice: "do"),
      Finding("c", .missing, "z", advice: "get"),
    ])
    #expect(examination.lacking(["a", "b", "c", "d"]) == ["c", "d"])
    #expect(
      examination.text == """
        a  ok       x
        b  warn     y
                    -> do
        c  missing  z
                    -> get

        """)
  }

  @Test func `the clock moves forward by a known step and loopback carries bytes`() throws {
    let steps = MachineProbe.clockSteps()
    #expect(steps.least > 0 && steps.least < 1_000_000_000)
    let rate = try #require(MachineProbe.loopbackThroughput(seconds: 0.05))
    #expect(rate > 0.01)
  }

  @Test func `an examination survives JSON with its schema`() throws {
    let examination = Examination([Finding("a", .warn, "x", advice: "do")])
    let data = try JSONEncoder().encode(examination)
    let text = String(decoding: data, as: UTF8.self)
    #expect(text.contains("\"schema\":1") && text.contains("\"warn\""))
    #expect(try JSONDecoder().decode(Examination.self, from: data) == examination)
  }
}
