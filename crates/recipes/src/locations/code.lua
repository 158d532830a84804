-- KEYS: a shard. ARGV: the number of bytes of a code, and the index of a user in the shard.
-- Replies with the code, or with an empty string beyond the end of the shard; or with the length of the shard, if it is not
-- that of a shard with codes of this size.
local shard, width = KEYS[1], tonumber(ARGV[1])
local len = redis.pcall('STRLEN', shard)
if type(len) == 'table' or len % width ~= 0 or len > 1048576 * width then return len end
return redis.call('GETRANGE', shard, ARGV[2] * width, (ARGV[2] + 1) * width - 1)
