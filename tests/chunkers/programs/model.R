# Fits a line and says how good it is.
library(stats)
library(ggplot2)

DEFAULT_LEVEL <- 0.95

fit_line <- function(data, formula, level = DEFAULT_LEVEL) {
  model <- lm(formula, data = data)
  structure(
    list(model = model, level = level),
    class = "fitted_line"
  )
}

print.fitted_line <- function(x, ...) {
  cat("A line at level", x$level, "\n")
  invisible(x)
}

residuals_of = function(x) {
  helper <- function(y) y - mean(y)
  helper(residuals(x$model))
}

setClass("Person", representation(name = "character", age = "numeric"))

setGeneric("describe", function(object) standardGeneric("describe"))

setMethod("describe", "Person", function(object) {
  cat(object@name, "is", object@age, "\n")
})

"%+%" <- function(a, b) paste0(a, b)

plot_line <- \(x) ggplot(x$model) + geom_point()
