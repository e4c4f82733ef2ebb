import Foundation
import Glibc

/// The encoder: Debian's ffmpeg with libx264.
struct FFmpeg {
  private let program: String
  /// What tells its bytes from those of another build: its own words, and a frame that it encodes,
  /// in which libx264 writes its version and settings.
  let identity: String

  static let installation = "apt-get install ffmpeg"

  /// - Parameter program: its path; nil: it is missing.
  /// - Throws: `missing` without it, or without libx264 in it.
  init(_ program: String?) throws(HarnessFailure) {
    guard let program else {
      throw HarnessFailure(
        .missing,
        "ffmpeg: expected the program on PATH, got none; install it: \(FFmpeg.installation)")
    }
    self.program = program
    let words = try FFmpeg.finish([program, "-version"])
    if words.code != 0 {
      throw HarnessFailure(
        .missing, "\(program): expected ffmpeg, got exit code \(words.code) from -version")
    }
    let frame = Subprocess.temporaryFile()
    defer { unlink(frame) }
    let probe = try FFmpeg.finish([
      program, "-hide_banner", "-loglevel", "error", "-nostdin", "-y", "-f", "lavfi", "-i",
      "testsrc2=size=64x64:rate=30", "-frames:v", "1", "-c:v", "libx264", "-threads", "1", "-f",
      "h264", frame,
    ])
    guard probe.code == 0, let bytes = FileManager.default.contents(atPath: frame), !bytes.isEmpty
    else {
      try WritableFolder.check(Subprocess.temporaryFolder, as: Subprocess.temporaryFolder)
      throw HarnessFailure(
        .missing,
        "ffmpeg: expected the encoder libx264 in \(program), got none that works; "
          + "install Debian's: \(FFmpeg.installation)\n\(probe.text)")
    }
    identity = words.text + Checksum.text(bytes)
  }

  /// The one on PATH.
  static func found() throws(HarnessFailure) -> FFmpeg {
    try FFmpeg(ProgramPath.find("ffmpeg"))
  }

  /// Encodes, at the lowest priority.
  func encode(_ arguments: [String]) throws(HarnessFailure) {
    var command = [program] + arguments
    // Not to outlive this process, however it ends.
    if let tool = ProgramPath.find("setpriv") { command = [tool, "--pdeathsig", "KILL"] + command }
    if let tool = ProgramPath.find("nice") { command = [tool, "-n", "19"] + command }
    let end = try FFmpeg.finish(command)
    if end.code != 0 {
      throw HarnessFailure(
        .system,
        "ffmpeg: expected exit code 0, got \(end.code) from \(arguments.joined(separator: " "))\n"
          + end.text)
    }
  }

  /// Runs a program to its end; it is stopped with this process.
  private static func finish(
    _ command: [String]
  ) throws(HarnessFailure) -> (code: Int32, text: String) {
    let output = Subprocess.temporaryFile()
    defer { unlink(output) }
    let child = try Subprocess.start(command, output: output)
    let teardown = Teardown.ofProcess.add {
      child.stop()
      unlink(output)
    }
    defer { Teardown.ofProcess.remove(teardown) }
    let code = child.wait()
    let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
    return (code, text.trimmingCharacters(in: .whitespacesAndNewlines))
  }
}
