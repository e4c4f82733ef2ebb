import Foundation
import NIOPosix
import Testing

@testable import LoadHarness

/// A real Chromium, one at a time.
@Suite(.serialized, .timeLimit(.minutes(2))) enum BrowserTests {}

extension BrowserTests {
  /// What is there while a browser runs, and what is left of it.
  @Suite(.serialized, .enabled(if: mayBrowse)) struct ChromiumTests {
    private let group = MultiThreadedEventLoopGroup.singleton

    @Test func `a browser that was stopped leaves neither processes nor files`() async throws {
      let browser = try await Chromium.start(on: group)
      var settings = BrowserPageSettings()
      settings.messageFunction = "tell"
      let page = try await browser.open("data:text/html,x", settings)
      #expect(BrowserTraces.folders().count == 1)
      // The shell, the browser, and those for pages, pictures and the network at least.
      #expect(BrowserTraces.processes().count > 5)
      browser.stop()
      #expect(BrowserTraces.isClear(), "\(BrowserTraces.processes())")
      for await message in page.messages { Issue.record("\(message)") }
      #expect(page.ending == .closed)
      await #expect(throws: HarnessFailure.self) { try await page.evaluate("1") }
      await #expect(throws: HarnessFailure.self) { try await browser.open("data:text/html,x") }
    }

    @Test func `a browser that is let go or torn down is stopped`() async throws {
      do { _ = try await Chromium.start(on: group).open("data:text/html,x") }
      #expect(BrowserTraces.isClear(), "\(BrowserTraces.processes())")
      let browser = try await Chromium.start(on: group)
      #expect(!BrowserTraces.isClear())
      Teardown.ofProcess.run()
      #expect(BrowserTraces.isClear(), "\(BrowserTraces.processes())")
      browser.stop()
    }

    @Test func `a browser that was killed has ended its pages`() async throws {
      let browser = try await Chromium.start(on: group)
      let page = try await browser.open("data:text/html,x")
      kill(try #require(BrowserTraces.leader()), SIGKILL)
      for await message in page.messages { Issue.record("\(message)") }
      #expect(page.ending == .disconnected)
      await page.close()
      browser.stop()
      #expect(BrowserTraces.isClear(), "\(BrowserTraces.processes())")
    }

    @Test func `nothing is left of the browser of a process that was killed`() async throws {
      let result = await #expect(
        processExitsWith: .signal(SIGKILL), observing: [\.standardOutputContent]
      ) {
        let browser = try await Chromium.start(on: MultiThreadedEventLoopGroup.singleton)
        let page = try await browser.open("data:text/html,x")
        let own = getpid()
        let count = BrowserTraces.processes().count
        FileHandle.standardOutput.write(Data("\n# \(own) \(count) #\n".utf8))
        // Another child lives on, must not keep the browser alive, and says what it then sees.
        _ = try Subprocess.start(
          ["sh", "-c", "sleep 3; ls -d /dev/shm/*-\(own)-* /tmp/*-\(own)-*; echo seen"])
        kill(own, SIGKILL)
        await page.close()
      }
      let text = String(decoding: result?.standardOutputContent ?? [], as: UTF8.self)
      let parts = text.split(separator: "#")
      try #require(parts.count > 2, "\(text)")
      let numbers = parts[1].split(separator: " ").compactMap { pid_t($0) }
      try #require(numbers.count == 2, "\(text)")
      #expect(numbers[1] > 5)
      #expect(parts[2].contains("seen") && !parts[2].contains("firstframe-browser"), "\(text)")
      #expect(BrowserTraces.isClear(of: numbers[0]), "\(BrowserTraces.processes(of: numbers[0]))")
    }

    @Test func `a browser whose watch was killed is stopped all the same`() async throws {
      let browser = try await Chromium.start(on: group)
      kill(try #require(BrowserTraces.watch()), SIGKILL)
      browser.stop()
      #expect(await BrowserTraces.wait { BrowserTraces.isClear() })
    }

    @Test(.enabled(if: mayShape)) func `a browser in a namespace is at the far end of its link`()
      async throws
    {
      let pair = try NamespacePair()
      defer { pair.remove() }
      let link = try UserLink(pair)
      defer { link.stop() }
      link.assign(
        pair.settings.clients[1],
        LinkProfile(downlink: 20e6, uplink: 20e6, roundTrip: 100_000_000))
      let origin = try pair.run(in: .edge) { try ScriptedOrigin(onAllAddresses: true) }
      defer { origin.close() }
      let group = try pair.run(in: .client) { MultiThreadedEventLoopGroup(numberOfThreads: 1) }
      let browser = try await Chromium.start(on: group, in: pair)
      let begin = ContinuousClock.now
      let page = try await browser.open("http://\(pair.edgeAddress):\(origin.port)/fresh")
      #expect(ContinuousClock.now - begin > .milliseconds(200))
      #expect(try await page.evaluate("document.body.innerText") == "\"body of /fresh\"")
      browser.stop()
      #expect(BrowserTraces.isClear(), "\(BrowserTraces.processes())")
      try await group.shutdownGracefully()
    }
  }

  /// What needs no Chromium.
  @Suite(.serialized) struct WatchTests {
    /// A program that does something else than Chromium.
    private func script(_ text: String) throws -> String {
      let file = Subprocess.temporaryFile()
      try "#!/bin/sh\n\(text)\n".write(toFile: file, atomically: true, encoding: .utf8)
      chmod(file, 0o755)
      return file
    }

    @Test func `a missing program is told with its package`() {
      let cases = [
        ("/nowhere/chromium", "/nowhere/chromium: expected the program there"),
        ("no-such-browser", "no-such-browser: expected the program on PATH"),
      ]
      for (name, text) in cases {
        let failure = #expect(throws: HarnessFailure.self) {
          try ChromiumCommand.findProgram(["CHROMIUM": name])
        }
        #expect(failure?.kind == .missing && failure?.exitCode == 69)
        #expect(failure?.message.hasPrefix(text) == true, "\(failure?.message ?? "")")
        #expect(failure?.message.contains("apt-get install chromium") == true)
      }
    }

    @Test func `a program that ends at once says why and leaves nothing`() async throws {
      let file = try script("echo no screen >&2; exit 3")
      defer { unlink(file) }
      let failure = await #expect(throws: HarnessFailure.self) {
        try await Chromium.start(
          ChromiumCommand(program: file), on: MultiThreadedEventLoopGroup.singleton)
      }
      #expect(failure?.kind == .unreachable)
      #expect(failure?.message.hasSuffix("got its end\nno screen") == true)
      #expect(BrowserTraces.isClear(), "\(BrowserTraces.processes())")
    }

    @Test func `a program that never listens is given up and leaves nothing`() async throws {
      let file = try script("sleep 60; exit 3")
      defer { unlink(file) }
      let failure = await #expect(throws: HarnessFailure.self) {
        try await Chromium.start(
          ChromiumCommand(program: file), on: MultiThreadedEventLoopGroup.singleton,
          patience: .milliseconds(300))
      }
      #expect(failure?.kind == .unreachable)
      #expect(failure?.message.contains("within 0.3 seconds") == true)
      #expect(BrowserTraces.isClear(), "\(BrowserTraces.processes())")
    }

    @Test func `a stop waits for who left the group and for who is slow to die`() async throws {
      // One with a group of its own in the same session, one with memory to give back.
      let watched = try WatchedProcess.start(
        named: "firstframe-browser-", environment: { _ in ProcessInfo.processInfo.environment }
      ) { folder in
        let text = """
          set -m
          tail -f /dev/null \(folder)/a &
          set +m
          head -c 300M /dev/zero | tail -c 300M /dev/stdin \(folder)/b &
          wait
          """
        return ["bash", "-c", text]
      }
      #expect(await BrowserTraces.wait { BrowserTraces.processes().count > 3 })
      try await Task.sleep(for: .milliseconds(500))
      watched.stop()
      #expect(BrowserTraces.isClear(), "\(BrowserTraces.processes())")
    }

    @Test func `what a killed process and its watch have left is taken away`() throws {
      let dead = try Subprocess.start(["true"])
      dead.wait()
      let folder = "/tmp/firstframe-browser-\(dead.pid)-1"
      try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
      let left = try Subprocess.start(["sh", "-c", "sleep 60; : \(folder)"])
      defer { left.stop() }
      try "\(left.pid)\n".write(
        toFile: "\(folder)/leader.pid", atomically: true, encoding: .utf8)
      WatchedProcess.removeStale(named: "firstframe-browser-")
      #expect(!FileManager.default.fileExists(atPath: folder))
      #expect(left.wait() == 128 + SIGKILL)
    }
  }
}
