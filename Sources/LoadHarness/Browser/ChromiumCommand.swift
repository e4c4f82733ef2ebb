import Foundation
import Glibc

/// How a Chromium is started.
struct ChromiumCommand {
  var program: String
  var flags: [String] = []

  /// Where Chromium is: what the variable `CHROMIUM` names, or `chromium` on PATH.
  static func findProgram(
    _ variables: [String: String] = ProcessInfo.processInfo.environment
  ) throws(HarnessFailure) -> String {
    let name = variables["CHROMIUM"] ?? "chromium"
    let path = name.contains("/") ? name : ProgramPath.find(name)
    guard let path, FileManager.default.isExecutableFile(atPath: path) else {
      let place = name.contains("/") ? "there" : "on PATH"
      throw HarnessFailure(
        .missing,
        "\(name): expected the program \(place), got none; install it: apt-get install chromium, "
          + "or name another in the variable CHROMIUM")
    }
    return path
  }

  /// File with the port and the path of the DevTools protocol, in two lines.
  func addressFile(in folder: String) -> String { "\(folder)/profile/DevToolsActivePort" }

  /// The command line of a browser that writes into a folder only.
  func words(in folder: String) -> [String] {
    var words = [
      program, "--headless=new", "--remote-debugging-port=0", "--user-data-dir=\(folder)/profile",
      // Nothing that is not asked for goes over the network, and any page may ask a server here.
      "--no-first-run", "--no-default-browser-check", "--no-proxy-server", "--no-pings",
      "--disable-background-networking", "--disable-component-update", "--disable-default-apps",
      "--disable-extensions", "--disable-sync", "--disable-domain-reliability",
      "--disable-client-side-phishing-detection", "--disable-breakpad",
      "--disable-features=Translate,OptimizationHints,MediaRouter,LocalNetworkAccessChecks",
      "--password-store=basic",
      // Every page runs as if it were in front.
      "--disable-background-timer-throttling", "--disable-backgrounding-occluded-windows",
      "--disable-renderer-backgrounding", "--disable-ipc-flooding-protection",
      "--autoplay-policy=no-user-gesture-required", "--mute-audio", "--hide-scrollbars",
      "--disable-gpu",
      // What its processes share goes into TMPDIR, which is removed with the rest.
      "--disable-dev-shm-usage",
    ]
    // Root cannot have the sandbox.
    if geteuid() == 0 { words.append("--no-sandbox") }
    return words + flags + ["about:blank"]
  }

  /// The variables of a browser that writes into a folder only.
  func environment(in folder: String) -> [String: String] {
    var variables = ProcessInfo.processInfo.environment
    for name in variables.keys where name.hasPrefix("XDG_") { variables[name] = nil }
    for name in ["DISPLAY", "WAYLAND_DISPLAY"] { variables[name] = nil }
    variables["HOME"] = folder
    variables["TMPDIR"] = folder
    variables["DBUS_SESSION_BUS_ADDRESS"] = "disabled:"
    return variables
  }
}
