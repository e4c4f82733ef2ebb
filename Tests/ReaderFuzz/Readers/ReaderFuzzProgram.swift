import Foundation

/// libFuzzer's own program, with a callback for each input (LLVM, "libFuzzer", "Using libFuzzer as
/// a library").
@_silgen_name("LLVMFuzzerRunDriver")
private func runDriver(
  _ count: UnsafeMutablePointer<CInt>,
  _ words: UnsafeMutablePointer<UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>>,
  _ test: @convention(c) (UnsafePointer<UInt8>?, Int) -> CInt
) -> CInt

/// What libFuzzer's own `main` would call. That comes along with the library, is not begun, and
/// would else miss this.
@_cdecl("LLVMFuzzerTestOneInput")
public func testOneInput(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt { -1 }

/// Fuzzes the reader that `FUZZ_READER` names, with libFuzzer's arguments; without a name it lists
/// all of them.
@main enum ReaderFuzzProgram {
  private static let name = ProcessInfo.processInfo.environment["FUZZ_READER"] ?? ""
  private static let chosen = ReaderFuzz.readers.first { $0.name == name }

  static func main() {
    if chosen == nil {
      print(ReaderFuzz.readers.map(\.name).joined(separator: "\n"))
      exit(name.isEmpty ? 0 : 64)
    }
    var count = CommandLine.argc
    var words = CommandLine.unsafeArgv
    exit(
      runDriver(&count, &words) { start, count in
        ReaderFuzzProgram.chosen?.read(Array(UnsafeBufferPointer(start: start, count: count)))
        return 0
      })
  }
}
