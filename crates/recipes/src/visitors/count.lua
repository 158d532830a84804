-- KEYS: a counter. ARGV: the increment, and the time until which it is kept.
-- Replies with OK.
local count = redis.pcall('INCRBY', KEYS[1], ARGV[1])
if type(count) == 'table' then return count end
if count == tonumber(ARGV[1]) then redis.call('PEXPIREAT', KEYS[1], ARGV[2]) end
return redis.status_reply('OK')
