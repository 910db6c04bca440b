(ns shop.cart
  "A cart and what is in it."
  (:require [clojure.string :as string]
            [shop.prices :refer [price-of]]))

(def ^:private limit 100)

(defonce carts (atom {}))

(defrecord Line [item quantity])

(defprotocol Priced
  (total [this] "What it costs.")
  (discounted [this share]))

(defn add-line
  "Adds a line, or adds to it."
  [cart item quantity]
  (if (>= (count cart) limit)
    (throw (ex-info "full" {:limit limit}))
    (update cart item (fnil + 0) quantity)))

(defn- line-total [[item quantity]]
  (* quantity (price-of item)))

(defmulti ship :country)

(defmethod ship :default [order]
  (str "by post: " (:id order)))

(defmacro with-cart [id & body]
  `(let [~'cart (get @carts ~id)]
     ~@body))

(comment
  (add-line {} :apple 3))
