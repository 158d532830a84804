-- KEYS: the counter, the bitmap. ARGV: until when they are kept, and the ids.
-- Replies with how many visits are the first of their visitors. If the counter could not take them all, nothing is done.
local counter, bitmap, kept_until = KEYS[1], KEYS[2], ARGV[1]
if is_over(kept_until) then return NOT_KEPT end
local count, uncount = count_on(counter, #ARGV - 1)
if type(count) == 'table' then return count end
local found = redis.pcall('STRLEN', bitmap)
if type(found) == 'table' then
  uncount(#ARGV - 1)
  return found
end
local new = 0
for i = 2, #ARGV do
  new = new + 1 - redis.call('SETBIT', bitmap, ARGV[i], 1)
end
uncount(#ARGV - 1 - new)
if kept_until ~= '' and new > 0 and count == #ARGV - 1 then
  redis.call('PEXPIREAT', counter, kept_until)
  redis.call('PEXPIREAT', bitmap, kept_until)
end
return new
