-- KEYS: a shard. ARGV: the id, until when it is kept.
-- Replies with 1 if the id is new, else with 0.
if is_over(ARGV[2]) then return NOT_KEPT end
local added = redis.pcall('SADD', KEYS[1], ARGV[1])
if added == 1 and redis.call('SCARD', KEYS[1]) == 1 then
  redis.call('PEXPIREAT', KEYS[1], ARGV[2])
end
return added
