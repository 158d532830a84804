-- KEYS: the counter, the bitmap. ARGV: the id, and the time until which the keys are kept.
-- Replies with 1 for a visitor's first visit, else with 0.
local counter, bitmap = KEYS[1], KEYS[2]
local id, kept_until = ARGV[1], ARGV[2]
if is_over(kept_until) then return NOT_KEPT end
local found = redis.pcall('GETBIT', bitmap, id)
if found == 1 then return 0 end
if found ~= 0 then return found end
local count = redis.pcall('INCR', counter)
if type(count) == 'table' then return count end
redis.call('SETBIT', bitmap, id, 1)
if kept_until ~= '' and count == 1 then
  redis.call('PEXPIREAT', counter, kept_until)
  redis.call('PEXPIREAT', bitmap, kept_until)
end
return 1
