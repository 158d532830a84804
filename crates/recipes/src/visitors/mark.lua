-- KEYS: a bitmap. ARGV: the id, and the time until which it is kept.
-- Replies with the previous bit.
if is_over(ARGV[2]) then return NOT_KEPT end
local is_first = redis.call('EXISTS', KEYS[1]) == 0
local before = redis.pcall('SETBIT', KEYS[1], ARGV[1], 1)
if is_first and type(before) ~= 'table' then redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end
return before
