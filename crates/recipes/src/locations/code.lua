-- KEYS: a shard. ARGV: how many bytes a code has, the place of a user in the shard.
-- Replies with the code, or with no bytes beyond the end of the shard; or with the length of the shard, if codes of so many
-- bytes leave no such string.
local shard, width = KEYS[1], tonumber(ARGV[1])
local len = redis.pcall('STRLEN', shard)
if type(len) == 'table' or len % width ~= 0 or len > 1048576 * width then return len end
return redis.call('GETRANGE', shard, ARGV[2] * width, (ARGV[2] + 1) * width - 1)
