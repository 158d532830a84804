-- INCRBY of a counter, and its undoing: the count, or what the error is.
local function count_on(counter, by)
  local is_new = redis.call('EXISTS', counter) == 0
  local count = redis.pcall('INCRBY', counter, by)
  local function undo(by)
    if is_new and count == by then
      redis.call('DEL', counter)
    elseif by > 0 then
      redis.call('DECRBY', counter, by)
    end
  end
  return count, undo
end
