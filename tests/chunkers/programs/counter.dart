import 'dart:async';
import 'package:flutter/material.dart';

typedef Callback = void Function(int value);

enum Direction { up, down }

/// Counts in one direction.
class Counter extends StatefulWidget {
  const Counter({super.key, required this.start});

  final int start;

  factory Counter.zero() => const Counter(start: 0);

  @override
  State<Counter> createState() => _CounterState();
}

class _CounterState extends State<Counter> {
  int _value = 0;

  int get doubled => _value * 2;

  set value(int next) {
    setState(() => _value = next);
  }

  void increment() {
    setState(() {
      _value += 1;
    });
  }
}

mixin Resettable {
  void reset();
}

extension Plural on String {
  String plural(int count) => count == 1 ? this : '${this}s';
}

Future<void> main(List<String> arguments) async {
  runApp(const Counter(start: 3));
}
