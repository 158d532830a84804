-- KEYS: a shard, and the sorted set of the largest id, or the shard alone. ARGV: how many bytes a code has, the largest of
-- the ids, and for each user the place in the shard and the code.
-- Replies with OK; or with the length of the shard, if codes of so many bytes leave no such string. Then nothing is done.
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
