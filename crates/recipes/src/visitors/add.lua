-- KEYS: a shard. ARGV: the time until which it is kept, and the ids.
-- Replies with the number of new ids.
if is_over(ARGV[1]) then return NOT_KEPT end
local added = redis.pcall('SADD', KEYS[1], unpack(ARGV, 2))
if type(added) ~= 'table' and added > 0 and redis.call('SCARD', KEYS[1]) == added then
  redis.call('PEXPIREAT', KEYS[1], ARGV[1])
end
return added
