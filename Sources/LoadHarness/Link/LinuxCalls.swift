import Glibc

/// Functions of the C library that Swift's module of it leaves out, because their headers want
/// `_GNU_SOURCE`; looked up by name once.
enum LinuxCalls {
  /// setns(2).
  static let setNamespace: @convention(c) (Int32, Int32) -> Int32 = function("setns")
  /// ppoll(2).
  static let poll:
    @convention(c) (
      UnsafeMutablePointer<pollfd>?, UInt, UnsafePointer<timespec>?, UnsafeRawPointer?
    ) -> Int32 = function("ppoll")
  /// gettid(2).
  static let threadNumber: @convention(c) () -> pid_t = function("gettid")
  /// eventfd(2).
  static let eventDescriptor: @convention(c) (UInt32, Int32) -> Int32 = function("eventfd")
  /// pipe2(2).
  static let pipe: @convention(c) (UnsafeMutablePointer<Int32>, Int32) -> Int32 =
    function("pipe2")

  /// CLONE_NEWNET of <linux/sched.h>.
  static let networkNamespace: Int32 = 0x4000_0000

  private static func function<F>(_ name: String) -> F {
    guard let symbol = dlsym(nil, name) else {
      preconditionFailure("the C library has no function \(name)")
    }
    return unsafeBitCast(symbol, to: F.self)
  }
}
