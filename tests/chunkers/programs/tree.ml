(* Balanced enough for small sets. *)
open Printf

type 'a tree =
  | Leaf
  | Node of 'a tree * 'a * 'a tree

exception Not_there of string

module type ORDERED = sig
  type t
  val compare : t -> t -> int
end

module Make (Order : ORDERED) = struct
  type element = Order.t

  let empty = Leaf

  let rec insert x = function
    | Leaf -> Node (Leaf, x, Leaf)
    | Node (left, y, right) as whole ->
      let order = Order.compare x y in
      if order < 0 then Node (insert x left, y, right)
      else if order > 0 then Node (left, y, insert x right)
      else whole
end

class counter = object
  val mutable count = 0
  method increment = count <- count + 1
end

class type sink = object
  method push : int -> unit
end

let rec depth = function
  | Leaf -> 0
  | Node (left, _, right) -> 1 + max (depth left) (depth right)

and is_leaf tree = tree = Leaf

let () = printf "%d\n" (depth Leaf)
