-- KEYS: the counter, the bitmap. ARGV: the time until which they are kept, and the ids.
-- Replies with the number of visits that are the first of their visitors. If the counter cannot be incremented by them all,
-- nothing is changed.
local counter, bitmap, kept_until = KEYS[1], KEYS[2], ARGV[1]
if is_over(kept_until) then return NOT_KEPT end
local why_not = refusal(counter, #ARGV - 1)
if why_not then return why_not end
local found = redis.pcall('STRLEN', bitmap)
if type(found) == 'table' then return found end
local new = 0
for i = 2, #ARGV do
  new = new + 1 - redis.call('SETBIT', bitmap, ARGV[i], 1)
end
if new > 0 and redis.call('INCRBY', counter, new) == new and kept_until ~= '' then
  redis.call('PEXPIREAT', counter, kept_until)
  redis.call('PEXPIREAT', bitmap, kept_until)
end
return new
