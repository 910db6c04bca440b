(** Sets that are kept in order. *)

type 'a t
(** A set of values. *)

exception Empty

module type ORDERED = sig
  type t

  val compare : t -> t -> int
end

val empty : 'a t

val insert : 'a -> 'a t -> 'a t
(** Adds a value; what is there already stays. *)

val mem : 'a -> 'a t -> bool

(** From the smallest to the largest. *)
val to_list : 'a t -> 'a list

module Make (Order : ORDERED) : sig
  type element = Order.t

  type t

  val union : t -> t -> t

  val choose : t -> element
  (** Raises {!Empty}. *)
end

external hash : 'a t -> int = "set_hash"
