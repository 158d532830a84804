-- KEYS: a shard and the sorted set with the largest id, or only the shard. ARGV: the number of bytes of a code, the largest
-- of the ids, and for each user the index in the shard and the code.
-- Replies with OK; or with the length of the shard, if it is not that of a shard with codes of this size, and then changes
-- nothing.
local shard, largest, width = KEYS[1], KEYS[2], tonumber(ARGV[1])
if largest then
  local score = redis.pcall('ZSCORE', largest, 'max')
  if type(score) == 'table' then return score end
end
local len = redis.pcall('STRLEN', shard)
if type(len) == 'table' or len % width ~= 0 or len > 1048576 * width then return len end
for i = 3, #ARGV, 2 do
  redis.call('SETRANGE', shard, ARGV[i] * width, ARGV[i + 1])
end
if largest then redis.call('ZADD', largest, 'GT', ARGV[2], 'max') end
return redis.status_reply('OK')
