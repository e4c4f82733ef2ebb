import Foundation
import Testing

@Suite struct ReportCommandTests {
  @Test func `report writes the same page again from the run folder, and its command the same run`()
    throws
  {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      _ = try firstframe("run", "tiny.yaml", "--short", "--seed", "5", "--replications", "2")
      let name = try #require(try firstframe.names("results").first)
      let page = try firstframe.read("results/\(name)/report.html")
      try FileManager.default.removeItem(
        atPath: firstframe.folder + "/results/\(name)/report.html")
      let outcome = try firstframe("report", "results/\(name)/")
      #expect(outcome.status == 0, "\(outcome.error)")
      #expect(outcome.output.hasPrefix("PASS  tiny: the hard budget holds (exit code 0)\n"))
      #expect(outcome.output.hasSuffix("\npage in results/\(name)/report.html\n"))
      #expect(
        outcome.output.contains(
          "\n  firstframe run results/\(name)/scenario.resolved.yaml --short \\\n"
            + "    --replications 2\n"))
      #expect(try firstframe.read("results/\(name)/report.html") == page)
      let command = "firstframe run scenario.resolved.yaml --short --replications 2"
      #expect(page.contains("<code>\(command)</code>"))
      _ = try firstframe(
        "run", "results/\(name)/scenario.resolved.yaml", "--short", "--replications", "2",
        "--output", "again")
      #expect(try firstframe.names("again") == [name])
      #expect(try firstframe.read("again/\(name)/report.html") == page)
    }
  }

  @Test func `report names what is missing, unreadable or in its way`() throws {
    try Program.inFolder { firstframe in
      let missing = try firstframe("report", "nowhere")
      #expect(missing.status == 66)
      #expect(missing.error.contains("nowhere: expected a run folder with result.json, got none"))
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/bad", withIntermediateDirectories: false)
      try firstframe.write("bad/result.json", "{\"schema\": 1}")
      let bad = try firstframe("report", "bad")
      #expect(bad.status == 65)
      #expect(bad.error.contains("bad/result.json:1:1: expected a member"))
      try firstframe.write("tiny.yaml", Program.tiny)
      _ = try firstframe("run", "tiny.yaml", "--short", "--replications", "1")
      let name = try #require(try firstframe.names("results").first)
      let path = firstframe.folder + "/results/\(name)/report.html"
      try FileManager.default.removeItem(atPath: path)
      try FileManager.default.createDirectory(
        atPath: path, withIntermediateDirectories: false)
      let blocked = try firstframe("report", "results/\(name)")
      #expect(blocked.status == 73)
      #expect(try !firstframe.names("results/\(name)").contains { $0.hasPrefix(".report") })
    }
  }

  @Test func `report writes notebooks that find their folder, the same bytes each time`() throws {
    try Program.inFolder { firstframe in
      try firstframe.write("tiny.yaml", Program.tiny)
      _ = try firstframe("run", "tiny.yaml", "--short", "--replications", "2")
      let run = "results/" + (try #require(try firstframe.names("results").first))
      let inside = try firstframe("report", run, "--notebook")
      #expect(inside.status == 0, "\(inside.error)")
      #expect(inside.output == "\(run)/notebook.ipynb\n")
      let whole = try firstframe.read("\(run)/notebook.ipynb")
      #expect(whole.contains(#"run_dir = \".\""#))
      let command = ["report", run, "--notebook", "--about", "caches", "-o", "notes/c.ipynb"]
      #expect(try firstframe.run(command).output == "notes/c.ipynb\n")
      let caches = try firstframe.read("notes/c.ipynb")
      #expect(caches.contains(#"run_dir = \"../\#(run)\""#))
      #expect(caches.contains(#"about=\"caches\""#) && !whole.contains("about="))
      #expect(caches.utf8.count < whole.utf8.count)
      #expect(try firstframe.run(command).status == 0)
      #expect(try firstframe.read("notes/c.ipynb") == caches)
      _ = try firstframe(
        "sweep", "tiny.yaml", "--short", "--replications", "2", "--quiet", "--output", "sweeps",
        "--vary", "policy.pool.size=[1, 3]")
      let sweep = try #require(try firstframe.names("sweeps").first { $0 != "shards" })
      let outcome = try firstframe("report", "sweeps/\(sweep)", "--notebook")
      #expect(outcome.status == 0, "\(outcome.error)")
      let text = try firstframe.read("sweeps/\(sweep)/notebook.ipynb")
      // The digest of the metadata is the one in the folder's name.
      let digest = try #require(sweep.split(separator: "-").last)
      #expect(text.contains("\"digest\": \"\(digest)\""))
      let topic = try firstframe("report", "sweeps/\(sweep)", "--notebook", "--about", "ttff")
      #expect(topic.status == 64)
      #expect(topic.error.contains("--about: expected a run folder, got ttff of a sweep folder"))
    }
  }

  @Test func `report refuses notebooks of what is no folder of results`() throws {
    try Program.inFolder { firstframe in
      let missing = try firstframe("report", "nowhere", "--notebook")
      #expect(missing.status == 66)
      #expect(
        missing.error.contains(
          "nowhere: expected a run folder with result.json or a sweep folder with sweep.json"))
      try FileManager.default.createDirectory(
        atPath: firstframe.folder + "/bad", withIntermediateDirectories: false)
      try firstframe.write("bad/sweep.json", "{\"schema\": 1}")
      let bad = try firstframe("report", "bad", "--notebook")
      #expect(bad.status == 65)
      #expect(bad.error.contains("bad/sweep.json:1:1: expected a member"))
      #expect(try firstframe.names("bad") == ["sweep.json"])
      for arguments in [["-o", "a.ipynb"], ["--about", "ttff"], ["--notebook", "-o", "a.html"]] {
        #expect(try firstframe.run(["report", "bad"] + arguments).status == 64)
      }
    }
  }
}
