import Foundation
import NIOPosix
import Testing

@testable import LoadHarness

extension BrowserTests {
  /// What a page says and what is said to it.
  @Suite(.serialized, .enabled(if: mayBrowse)) struct PageTests {
    private func withBrowser(_ body: (Chromium) async throws -> Void) async throws {
      let browser = try await Chromium.start(on: MultiThreadedEventLoopGroup.singleton)
      defer { browser.stop() }
      try await body(browser)
    }

    private var hearing: BrowserPageSettings {
      var settings = BrowserPageSettings()
      settings.messageFunction = "tell"
      return settings
    }

    @Test func `an expression comes to its JSON`() async throws {
      try await withBrowser { browser in
        #expect(browser.version.hasPrefix("Chrome/"))
        let page = try await browser.open(
          "data:text/html,<title>feed</title><script>let views = 7</script>")
        let cases = [
          ("document.title", "\"feed\""), ("views + 1 // of them", "8"),
          ("({a: [1.5, 'é', null], b: {}})", "{\"a\":[1.5,\"é\",null],\"b\":{}}"),
          ("[innerWidth, innerHeight, devicePixelRatio]", "[390,844,1]"),
          ("undefined", "null"), ("NaN", "null"),
        ]
        for (expression, expected) in cases {
          #expect(try await page.evaluate(expression) == expected)
        }
        let late = "new Promise(done => setTimeout(() => done([views]), 50))"
        #expect(try await page.evaluate(late, awaitsPromise: true) == "[7]")
        #expect(try await page.evaluate(late) == "{}")
        await page.close()
        #expect(page.ending == .closed && page.complaints.isEmpty)
      }
    }

    @Test func `what a script throws is told, and the page goes on`() async throws {
      try await withBrowser { browser in
        let page = try await browser.open("data:text/html,x")
        let cases = [
          ("nobody.home", false, "ReferenceError: nobody is not defined"),
          ("1 +", false, "SyntaxError"), ("(() => { throw 'a word' })()", false, "a word"),
          ("Promise.reject(new Error('late'))", true, "Error: late"),
        ]
        for (expression, awaits, text) in cases {
          let failure = await #expect(throws: HarnessFailure.self) {
            try await page.evaluate(expression, awaitsPromise: awaits)
          }
          #expect(failure?.kind == .script)
          #expect(failure?.message.contains(text) == true, "\(failure?.message ?? "")")
        }
        let slow = await #expect(throws: HarnessFailure.self) {
          try await page.evaluate(
            "new Promise(() => {})", awaitsPromise: true, patience: .milliseconds(200))
        }
        #expect(slow?.kind == .unreachable && slow?.message.contains("0.2 seconds") == true)
        #expect(try await page.evaluate("6 * 7") == "42")
        #expect(page.ending == nil)
      }
    }

    @Test func `messages come in order, from the first script on, and may have megabytes`()
      async throws
    {
      try await withBrowser { browser in
        let page = try await browser.open(
          "data:text/html,<script>for (let i = 0; i < 1000; i++) tell('early ' + i)</script>",
          hearing)
        var messages = page.messages.makeAsyncIterator()
        for number in 0..<1_000 {
          let message = await messages.next()
          #expect(message == "early \(number)")
        }
        _ = try await page.evaluate("tell('x'.repeat(3e6) + 'é end')")
        let large = try #require(await messages.next())
        #expect(large.utf8.count == 3_000_006 && large.hasSuffix("xé end"))
        // As much in an answer, and from us.
        let answer = try await page.evaluate("'y'.repeat(3e6)")
        #expect(answer.utf8.count == 3_000_002)
        let text = String(repeating: "z", count: 3_000_000)
        #expect(try await page.evaluate("'\(text)'.length") == "3000000")
      }
    }

    @Test func `errors on the console and uncaught ones are kept, other words are not`()
      async throws
    {
      try await withBrowser { browser in
        let page = try await browser.open(
          """
          data:text/html,<script>console.log('fine'); console.error('bad', 7, true);
          setTimeout(() => { throw new Error('late') }); Promise.reject('unheard');
          fetch('http://127.0.0.1:1/').catch(() => {})</script>
          """)
        _ = await BrowserTraces.wait { page.complaintCount >= 4 }
        let complaints = page.complaints.joined(separator: "\n")
        #expect(page.complaintCount == 4, "\(complaints)")
        for text in [
          "console.error: bad 7 true", "uncaught: Error: late", "uncaught: unheard",
          "ERR_UNSAFE_PORT",
        ] {
          #expect(complaints.contains(text), "\(complaints)")
        }
        _ = try await page.evaluate("(() => { for (let i = 0; i < 200; i++) console.error(i) })()")
        #expect(await BrowserTraces.wait { page.complaintCount == 204 })
        #expect(page.complaints.count == 100)
      }
    }

    @Test func `a page that cannot be opened is an error`() async throws {
      try await withBrowser { browser in
        let failure = await #expect(throws: HarnessFailure.self) {
          try await browser.open("http://127.0.0.1:9/nothing")
        }
        #expect(failure?.kind == .unreachable)
        #expect(failure?.message.contains("127.0.0.1:9/nothing") == true)
        let crashed = await #expect(throws: HarnessFailure.self) {
          try await browser.open("chrome://crash")
        }
        #expect(crashed?.kind == .unreachable)
        #expect(crashed?.message.contains("chrome://crash") == true, "\(crashed?.message ?? "")")
      }
    }

    @Test func `pages are drawn side by side, and share a cache unless they have their own`()
      async throws
    {
      let origin = try ScriptedOrigin()
      defer { origin.close() }
      try await withBrowser { browser in
        let url = "\(origin.url)/fresh"
        let first = try await browser.open(url)
        #expect(try await first.evaluate("document.body.innerText") == "\"body of /fresh\"")
        _ = try await browser.open(url)
        #expect(origin.count("/fresh") == 1)
        var own = BrowserPageSettings()
        own.hasOwnStorage = true
        let third = try await browser.open(url, own)
        #expect(origin.count("/fresh") == 2)
        let drawn =
          "new Promise(done => requestAnimationFrame(() => done(document.visibilityState)))"
        for page in [first, third] {
          #expect(try await page.evaluate(drawn, awaitsPromise: true) == "\"visible\"")
        }
      }
    }

    @Test func `an opened page has run its scripts`() async throws {
      let origin = try ScriptedOrigin()
      defer { origin.close() }
      origin.setDelay(0.5)
      try await withBrowser { browser in
        let page = try await browser.open(
          "data:text/html,<script src='\(origin.url)/fresh'></script><script>done = 1</script>")
        #expect(try await page.evaluate("[window.done, document.readyState]").hasPrefix("[1,"))
        #expect(origin.count("/fresh") == 1)
        var hasty = BrowserPageSettings()
        hasty.patience = .milliseconds(200)
        let failure = await #expect(throws: HarnessFailure.self) {
          try await browser.open(
            "data:text/html,<script src='\(origin.url)/none'></script>", hasty)
        }
        #expect(failure?.message.contains("within 0.2 seconds") == true, "\(failure as Any)")
      }
    }

    @Test func `a crash ends its page alone, with what waits for it`() async throws {
      try await withBrowser { browser in
        let page = try await browser.open("data:text/html,x", hearing)
        let other = try await browser.open("data:text/html,y")
        let waiting = Task {
          try await page.evaluate("new Promise(() => {})", awaitsPromise: true)
        }
        let crash = Task { try await page.call("Page.crash") }
        for await message in page.messages { Issue.record("\(message)") }
        #expect(page.ending == .crashed)
        let calls = [
          waiting,
          Task {
            try await crash.value; return ""
          },
        ]
        for call in calls + [Task { try await page.evaluate("1") }] {
          let failure = await #expect(throws: HarnessFailure.self) { try await call.value }
          #expect(failure?.message.hasSuffix("got its end: crashed") == true, "\(failure as Any)")
        }
        await page.close()
        #expect(page.ending == .crashed)
        #expect(try await other.evaluate("1") == "1")
        #expect(other.ending == nil)
      }
    }

    @Test func `a page that closes itself has left`() async throws {
      try await withBrowser { browser in
        let page = try await browser.open("data:text/html,x", hearing)
        try? await page.call("Page.close")
        for await message in page.messages { Issue.record("\(message)") }
        #expect(page.ending == .left)
      }
    }
  }
}
