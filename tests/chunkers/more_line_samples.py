"""More programs in languages without a grammar, with their definitions by rows."""

from __future__ import annotations

from tests.chunkers.line_samples import LineSample

MORE_LINE_SAMPLES = (
    LineSample(
        "codec.erl",
        """-module('codec').
-record(state, {depth = 1,
                owner}).
-type state() :: #state{}.
-define('LIMIT', 3).

encode(X) -> encode(X, $.).  % with a stop

encode([], _) -> "never. ";
encode([X | Y], Z) ->
    case X of % of any kind.
        _ -> encode(Y, Z)
    end.
encode(X, Y, Z) ->
check(X, Y),
    Z.
'enc_Page'(X) ->
'enc_Row'(X).
'enc_Row'(X) -> X.
""",
        """1-19 codec
        2-3 codec/state
        4-4 codec/state
        5-5 codec/LIMIT
        7-7 codec/encode
        9-13 codec/encode
        14-16 codec/encode
        17-18 codec/enc_Page
        19-19 codec/enc_Row""",
    ),
    LineSample(
        "configure.ac",
        """AC_INIT([scanner], [1.0])
dnl Looks for the device.
AC_DEFUN([SCANNER_CHECK_DEVICE],
  [AC_CHECK_LIB([usb], [usb_open])
])
m4_define([SCANNER_DEPTH], [3])
""",
        """3-5 SCANNER_CHECK_DEVICE
        6-6 SCANNER_DEPTH""",
    ),
    LineSample(
        "client.dart",
        """class Client {
  Future<Response<T>> fetch<T>(Options options) async {
    return x;
  }

  static Map<K, V> merge<K extends Key<V>, V>(
    Map<K, V> a,
  ) {
    return a;
  }
}

extension type const Id(int value) {}
""",
        """1-11 Client
        2-4 Client/fetch
        6-10 Client/merge
        13-13 Id""",
    ),
)
