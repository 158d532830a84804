-- KEYS: the counter, the shard. ARGV: the id, and the time until which the keys are kept.
-- Replies with 1 for a visitor's first visit, else with 0.
local counter, shard = KEYS[1], KEYS[2]
local id, kept_until = ARGV[1], ARGV[2]
if is_over(kept_until) then return NOT_KEPT end
local found = redis.pcall('SISMEMBER', shard, id)
if found == 1 then return 0 end
if found ~= 0 then return found end
local count = redis.pcall('INCR', counter)
if type(count) == 'table' then return count end
redis.call('SADD', shard, id)
if kept_until ~= '' then
  if redis.call('SCARD', shard) == 1 then redis.call('PEXPIREAT', shard, kept_until) end
  if count == 1 then redis.call('PEXPIREAT', counter, kept_until) end
end
return 1
