module Shapes

using LinearAlgebra
import Base: show

export area, Circle, Square

const TAU = 2π

"""
Anything that has an area.
"""
abstract type Shape end

struct Circle <: Shape
    radius::Float64
end

mutable struct Square{T<:Real} <: Shape
    side::T
end

area(c::Circle) = π * c.radius^2

function area(s::Square)
    return s.side * s.side
end

function Base.show(io::IO, s::Shape)
    print(io, "Shape of area ", area(s))
end

function scale(s::Square{T}, factor::T) where {T<:Real}
    Square(s.side * factor)
end

macro twice(expression)
    quote
        $(esc(expression))
        $(esc(expression))
    end
end

@inline double(c::Circle) = Circle(2 * c.radius)

Base.@propagate_inbounds corner(s::Square, n::Int) =
    s.side * n

whole(s::Square)::Int = round(Int, s.side)

half(s::Square{T})::T where {T} = s.side / 2

@assert area(Square(1)) == 1

end # module
