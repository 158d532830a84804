-- Returns the error of INCRBY on a counter, or nil if the counter can be incremented by this number.
local function refusal(counter, by)
  local count = redis.pcall('GET', counter)
  if not count then return nil end
  -- With up to 15 digits, no sum is too large.
  if type(count) == 'string' and #count <= 15 and string.find(count, '^-?[1-9]%d*$') then return nil end
  count = redis.pcall('INCRBY', counter, by)
  if type(count) == 'table' then return count end
  redis.call('DECRBY', counter, by)
  return nil
end
